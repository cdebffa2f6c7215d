/** A small mail server on this machine. */
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type TestMailServer = { url: string; said: string[]; close(): Promise<void> };

/** Accepts every message, or refuses recipients. It has no TLS. */
export async function mailServer(refuses = false): Promise<TestMailServer> {
  const said: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let inData = false;
    let rest = '';
    socket.write('220 test ESMTP\r\n');
    socket.on('data', (chunk) => {
      rest += chunk.toString();
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        said.push(line);
        if (inData && line === '.') inData = false;
        else if (inData) continue;
        if (line === 'DATA') {
          inData = true;
          socket.write('354 go on\r\n');
        } else if (line.startsWith('RCPT') && refuses) socket.write('550 5.1.1 dana@harbor.example unknown\r\n');
        else if (line === 'STARTTLS') socket.write('454 no TLS here\r\n');
        else if (line.startsWith('QUIT')) socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    said,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
