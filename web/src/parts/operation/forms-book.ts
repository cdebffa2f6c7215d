/** Forms of the organization: books, people, clients, webhooks, sandboxes. Their fields come from the schema; these say what they do. */
import { day } from '../../format.ts';
import type { OwnField, OwnForm, Values } from './own-form.ts';

const plain = (title: string, button: string, did: string, fields: readonly OwnField[] = []): OwnForm => ({
  title,
  fields,
  does: () => button,
  did: () => did,
});
const grave = (form: OwnForm): OwnForm => ({ ...form, grave: true });

const roles: OwnField = {
  name: 'roles',
  label: 'Roles',
  hint: 'Names of roles, such as agent or manager.',
};
const aRange = ({ deadLetters, deliveryId }: Values): boolean => deadLetters !== true && deliveryId === undefined;
const scopes: OwnField = { name: 'scopes', label: 'Scopes' };

export const BOOK_FORMS: Readonly<Record<string, OwnForm>> = {
  createUser: plain('Invite a person', 'Invite', 'Invited.', [
    { name: 'name', label: 'Name' },
    { name: 'email', label: 'E-mail address' },
    roles,
  ]),
  updateUser: plain('Change a person', 'Save', 'Saved.', [
    { name: 'userId', label: 'Person' },
    { name: 'name', label: 'Name' },
    roles,
  ]),
  disableUser: grave(plain('Disable a person', 'Disable', 'Disabled. Their sessions have ended.')),
  inviteUser: plain('Invite again', 'Create new invitation', 'Invited again.'),
  endSessions: plain('Sign out everywhere', 'End all sessions', 'All sessions ended.'),
  putRole: plain('Save a role', 'Save role', 'Role saved.', [
    { name: 'name', label: 'Name', hint: 'Lower-case letters, digits and hyphens.' },
    scopes,
    { name: 'limits', label: 'Limits', hint: 'Above this amount, an operation needs another user’s approval.' },
  ]),
  removeRole: grave(plain('Remove a role', 'Remove role', 'Role removed.')),
  createClient: plain('New client', 'Create client', 'Client created.', [{ name: 'name', label: 'Name' }, scopes]),
  updateClient: plain('Change a client', 'Save', 'Saved.'),
  rotateClient: grave(
    plain('New credentials', 'Create new credentials', 'New credentials created. The old ones no longer work.', [
      { name: 'clientId', label: 'Client' },
      { name: 'what', label: 'Replace', hint: 'The secret, the API key or both.' },
    ]),
  ),
  revokeClient: grave(plain('Revoke a client', 'Revoke client', 'Client revoked.')),
  createKey: plain('New API key', 'Create key', 'Key created.'),
  revokeKey: grave(plain('Revoke an API key', 'Revoke key', 'Key revoked.')),
  createGrant: plain(
    'Grant access',
    'Grant access',
    'Offered. It takes effect when the other organization accepts it.',
  ),
  revokeGrant: grave(plain('Revoke access', 'Revoke access', 'Access revoked.')),
  acceptGrant: plain('Accept a grant', 'Accept', 'Accepted. The loans are in your lists and reports.'),
  declineGrant: plain('Decline a grant', 'Decline', 'Declined.'),
  endGrant: grave(plain('End a grant', 'End access', 'Ended. The loans are no longer in your lists and reports.')),
  createWebhookEndpoint: plain('New webhook', 'Create webhook', 'Webhook created.', [
    { name: 'url', label: 'Address (https)' },
    {
      name: 'types',
      label: 'Events',
      hint: 'Types such as payment.returned, or families such as fee.*. None, or * alone: all events.',
    },
    { name: 'description', label: 'Description' },
  ]),
  updateWebhookEndpoint: plain('Change a webhook', 'Save', 'Saved.'),
  rotateWebhookSecret: grave(plain('New webhook secret', 'Create new secret', 'New secret created.')),
  deleteWebhookEndpoint: grave(plain('Delete a webhook', 'Delete webhook', 'Webhook deleted.')),
  testWebhook: plain('Send a test event', 'Send test event', 'Test event sent.'),
  replayWebhook: plain('Send events again', 'Send again', 'Events are sent again.', [
    {
      name: 'deadLetters',
      label: 'All undelivered events',
      hint: 'Instead of a range.',
      when: ({ deliveryId, from }) => deliveryId === undefined && from === undefined,
    },
    {
      name: 'from',
      label: 'From',
      when: aRange,
      hint: 'The first event of a range: a time such as 2026-02-15T12:00:00Z, or the id of an event.',
    },
    { name: 'to', label: 'To', hint: 'The last event of the range. Default: now.', when: aRange },
    {
      name: 'deliveryId',
      label: 'One delivery',
      hint: 'The reference of a delivery, instead of a range.',
      when: ({ deadLetters, from }) => deadLetters !== true && from === undefined,
    },
  ]),
  createSandbox: plain('New sandbox', 'Create sandbox', 'Sandbox created.', [
    { name: 'name', label: 'Name' },
    { name: 'start', label: 'First day of its clock' },
  ]),
  endSandbox: grave(plain('End a sandbox', 'End sandbox', 'Sandbox ended.')),
  advanceClock: {
    title: 'Advance the clock',
    fields: [{ name: 'to', label: 'To', hint: 'Every day in between is processed: due dates, late fees, the books.' }],
    does: ({ to }) => (typeof to === 'string' ? `Advance to ${day(to)}` : 'Advance'),
    did: () => 'The clock is being advanced.',
  },
  setClock: plain('Change the time zone', 'Save', 'Saved.', [
    { name: 'timeZone', label: 'Time zone', hint: 'Such as America/New_York.' },
  ]),
  addPolicy: {
    title: 'New policy version',
    fields: [
      { name: 'policyId', label: 'Policy' },
      { name: 'lenderId', label: 'Lender', hint: 'Default: all lenders without their own policy.' },
      { name: 'from', label: 'In force from', hint: 'Today or later.', start: (facts) => facts.today },
      { name: 'values', label: 'Values', hint: 'Values left empty use the default.' },
    ],
    does: ({ from }) => (typeof from === 'string' ? `Record from ${day(from)}` : 'Record policy'),
    did: () => 'Policy recorded.',
  },
  setAccountCodes: plain('Account codes', 'Save codes', 'Codes saved.'),
  recordEntry: plain('Entry by hand', 'Record entry', 'Entry recorded.'),
  bookAllowance: plain('Allowance of a month', 'Book allowance', 'Allowance booked.', [
    { name: 'period', label: 'Month', hint: 'Over, and not closed yet. Somebody else has to approve it.' },
  ]),
  closeYear: grave(
    plain('Close year', 'Close year', 'Year closed.', [
      { name: 'year', label: 'Year', hint: 'All its months must be closed. A closed year never changes again.' },
    ]),
  ),
  approveRequest: plain('Approve', 'Approve', 'Approved and carried out.', [{ name: 'reason', label: 'Reason' }]),
  rejectRequest: grave(plain('Reject', 'Reject', 'Rejected.', [{ name: 'reason', label: 'Reason' }])),
  setIdentityProvider: plain('Sign-in provider', 'Save', 'Saved.'),
  removeIdentityProvider: grave(plain('Remove the sign-in provider', 'Remove', 'Removed.')),
};
