/** Outgoing mail, in plain text, over the operator's mail server. */
import { createTransport } from 'nodemailer';

export type Message = { to: string; subject: string; text: string };

export type Mail = {
  /** Whether the mail server has accepted it; never fails. */
  send(message: Message): Promise<boolean>;
};

/** A caller waits for it. */
const PATIENCE_MS = 10_000;

export function openMail(options: {
  /** `smtp://` or `smtps://`, with user and password if the server wants them. */
  url: string;
  from: string;
  /** With a code such as ECONNECTION. What the server says may repeat the address, so it is not passed on. */
  onFailure: (code: string) => void;
}): Mail {
  const { protocol, hostname, port, username, password } = new URL(options.url);
  const isOwnMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // Without encryption only to this machine: an invitation opens an account.
    requireTLS: !secure && !isOwnMachine,
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: PATIENCE_MS / 2,
    greetingTimeout: PATIENCE_MS / 2,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send({ to, subject, text }) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(Object.assign(new Error('Too slow.'), { code: 'ETIMEDOUT' })), PATIENCE_MS);
      });
      const sending = transport.sendMail({ from: options.from, to: { name: '', address: to }, subject, text });
      try {
        await Promise.race([sending, late]);
        return true;
      } catch (error) {
        sending.catch(() => {});
        const { code } = error as { code?: unknown };
        options.onFailure(typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'unknown');
        return false;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
