/** API keys of a client, in addition to the one it gets at creation. */
import { shape } from '../shared/named.ts';
import { closed, envelope } from '../shared/operation.ts';
import { missing } from '../shared/read.ts';
import { time } from '../shared/shapes.ts';
import { write } from '../shared/writing.ts';
import { ApiKey, administration, ClientIdRequest, KeyId } from './shared.ts';

const KeyAnswer = envelope(shape('NewApiKey', 'A new API key.', { keyId: KeyId, apiKey: ApiKey }), {
  keyId: 'key_2f9d7c',
  apiKey: 'dbk_…',
});

export const createKey = write({
  ...administration,
  at: 'POST /create-key',
  id: 'createKey',
  cost: 5,
  summary: 'Create an API key for a client',
  description:
    'Existing keys keep working. The new key is shown only once. The caller’s own token must have every scope of the client; if these include ' +
    '`loans:read_pii` or `loans:fund`, the header `key` is also required.',
  body: ClientIdRequest,
  answer: KeyAnswer,
  problems: ['not_found', 'conflict', 'key_required'],
  isSecret: true,
  async write({ services, caller, body }, { keep }) {
    return (await services.access.administering(keep).createKey(caller, body.clientId)) ?? missing('active client');
  },
  approval: { preview: (_, { clientId }) => ({ clientId }) },
});

const KeyIdRequest = closed({ keyId: KeyId }, { examples: [{ keyId: 'key_2f9d7c' }] });

const RevokedKeyAnswer = envelope(
  shape('RevokedApiKey', 'A revoked API key.', { keyId: KeyId, revokedAt: time('When it was revoked.') }),
  { keyId: 'key_2f9d7c', revokedAt: '2026-01-01T00:00:00.000Z' },
);

export const revokeKey = write({
  ...administration,
  at: 'POST /revoke-key',
  id: 'revokeKey',
  cost: 5,
  summary: 'Revoke an API key',
  description: 'The client keeps its secret and its other keys.',
  body: KeyIdRequest,
  answer: RevokedKeyAnswer,
  problems: ['not_found'],
  async write({ services, caller, body }, { keep }) {
    const revoked = await services.access.administering(keep).revokeKey(caller.organizationId, body.keyId);
    return revoked ?? missing('key');
  },
});
