/** The operations of one loan by what people call them, in the groups of the menu, with the scopes of which one is needed. */
import { OPERATIONS, type OperationId } from 'daybook-sdk';

export type Action = {
  /** As the API names it in `allowed`: its path. */
  readonly name: string;
  readonly operation: OperationId;
  readonly label: string;
  readonly scopes: readonly string[];
};
export type Group = { readonly title: string; readonly actions: readonly Action[] };

const SERVICING = ['servicing:write'];
const PAYMENTS = ['payments:write'];
const LOANS = ['loans:write'];
const UNDERWRITING = ['underwriting:write'];

const LABELS: readonly (readonly [
  title: string,
  actions: readonly (readonly [string, string, readonly string[]])[],
])[] = [
  [
    'Payments',
    [
      ['loan-repay', 'Take payment', PAYMENTS],
      ['acknowledge-repayment', 'Acknowledge a payment', PAYMENTS],
      ['return-repayment', 'Return a payment', PAYMENTS],
      ['reverse-repayment', 'Reverse a payment', PAYMENTS],
      ['payoff-quotes', 'Quote payoff', PAYMENTS],
      ['settle', 'Agree on a settlement', SERVICING],
      ['refund-credit', 'Refund a credit', SERVICING],
      ['record-recovery', 'Record a recovery', SERVICING],
    ],
  ],
  [
    'Fees',
    [
      ['assess-fee', 'Charge a fee', SERVICING],
      ['waive-fee', 'Waive a fee', SERVICING],
    ],
  ],
  [
    'Terms',
    [
      ['extend', 'Extend', SERVICING],
      ['change-due-date', 'Change the due date', SERVICING],
      ['change-rate', 'Change the rate', SERVICING],
      ['reamortize', 'Recalculate the payment', SERVICING],
      ['reage', 'Re-age', SERVICING],
    ],
  ],
  [
    'Holds and contact',
    [
      ['place-hold', 'Place a hold', SERVICING],
      ['release-hold', 'Release a hold', SERVICING],
      ['payment-reminders', 'Record a payment reminder', SERVICING],
      ['update-party', 'Update borrower data', SERVICING],
    ],
  ],
  [
    'Delinquency and loss',
    [
      ['delinquent', 'Note delinquency', SERVICING],
      ['default', 'Declare default', SERVICING],
      ['accelerate', 'Accelerate', SERVICING],
      ['charge-off', 'Charge off', SERVICING],
      ['write-down', 'Write down', SERVICING],
    ],
  ],
  [
    'Application',
    [
      ['request-documents', 'Request documents', LOANS],
      ['verify-documents', 'Verify documents', LOANS],
      ['start-underwriting', 'Start underwriting', UNDERWRITING],
      ['complete-underwriting', 'Decide', UNDERWRITING],
      ['request-collateral', 'Request collateral', LOANS],
      ['approve-collateral', 'Approve collateral', LOANS],
      ['fund-loan', 'Fund', ['loans:fund']],
      ['initiate-repayment', 'Begin repayment', ['servicing:write', 'loans:fund']],
      ['cancel', 'Cancel the application', LOANS],
    ],
  ],
  [
    'Loan',
    [
      ['close', 'Close', SERVICING],
      ['publish', 'Publish or withdraw', LOANS],
      ['transfer', 'Transfer', ['servicing:write', 'loans:write']],
      ['accept-transfer', 'Accept a transfer', LOANS],
      ['cancel-transfer', 'Cancel a transfer', ['loans:write', 'servicing:write']],
      ['undo', 'Undo a transaction', SERVICING],
    ],
  ],
];

/** The POST whose path ends with the name. */
function operationOf(name: string): OperationId | null {
  const found = Object.entries(OPERATIONS).find(
    ([, { method, path }]) => method === 'POST' && path.endsWith(`/chain/${name}`),
  );
  return (found?.[0] as OperationId | undefined) ?? null;
}

export const GROUPS: readonly Group[] = LABELS.map(([title, actions]) => ({
  title,
  actions: actions.flatMap(([name, label, scopes]) => {
    const operation = operationOf(name);
    return operation === null ? [] : [{ name, operation, label, scopes }];
  }),
}));

const BY_NAME = new Map(GROUPS.flatMap(({ actions }) => actions).map((action) => [action.name, action]));
export const actionNamed = (name: string): Action | null => BY_NAME.get(name) ?? null;
export const labelOf = (name: string): string => actionNamed(name)?.label ?? name.replaceAll('-', ' ');

/** Reason why an operation is unavailable now; null: it is available. */
export function whyNot(
  action: Action,
  facts: {
    readonly allowed: readonly string[];
    readonly notAllowed: readonly { readonly operation: string; readonly reason: { readonly detail: string } }[];
    readonly can: (...scopes: string[]) => boolean;
  },
): string | null {
  if (!facts.can(...action.scopes)) {
    return `Your roles do not include ${action.scopes.join(' or ')}.`;
  }
  if (facts.allowed.includes(action.name)) return null;
  const reason = facts.notAllowed.find(({ operation }) => operation === action.name)?.reason.detail;
  return reason === undefined ? 'Not available for this loan now.' : inWords(reason, action);
}

/** The reason names the operation by its path; people know it by its label. A status is written apart. */
function inWords(reason: string, { name, label }: Action): string {
  const named = reason.startsWith(`${name} `) ? `“${label}”${reason.slice(name.length)}` : reason;
  return named.replace(
    /\b([A-Z][a-z]+)([A-Z][a-z]+)\b/g,
    (_, one: string, two: string) => `${one} ${two.toLowerCase()}`,
  );
}
