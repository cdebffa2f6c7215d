/** Secrets in a response, shown once: credentials and invitations, which cannot be read again. */
import { words } from '../../format.ts';

const SECRET = /^(clientSecret|apiKey|secret|invitationUrl|token|access_token)$/;
const LABELS: Readonly<Record<string, string>> = {
  apiKey: 'API key',
  invitationUrl: 'Invitation link',
  secret: 'Signing secret',
};

export function secretsOf(data: unknown): { name: string; label: string; value: string }[] {
  if (typeof data !== 'object' || data === null) return [];
  return Object.entries(data).flatMap(([name, value]) =>
    SECRET.test(name) && typeof value === 'string' && value !== ''
      ? [{ name, label: LABELS[name] ?? words(name), value }]
      : [],
  );
}
