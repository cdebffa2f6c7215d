/**
 * Enters refused requests into the audit trail: of a known caller each one, before the answer is sent; of a caller that is not known, and
 * exceeded quotas, as counts (src/access/refusals.ts). A refusal is answered even if it cannot be entered.
 */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../access/access.ts';
import type { Services } from '../shared/operation.ts';
import type { Problem } from '../shared/problems.ts';
import { addressOf } from './address.ts';

/** The time for which an answer waits for its entry. */
const PATIENCE_MS = 2_000;

/** A caller that is refused with one of these is not known, or is refused access. */
const ACCESS: ReadonlySet<number> = new Set([401, 403, 404]);

/** Resolves when the answer may be sent; null: at once. */
export function enterRefusal(
  services: Services | null,
  request: FastifyRequest,
  { status, code }: Problem,
): Promise<void> | null {
  if (services === null || status < 400 || status >= 500) return null;
  const { caller } = request.context;
  const { audited } = request.routeOptions.config;
  if (caller === null || status === 429) {
    if (status === 401 || status === 429) countRefusal(services, request, code);
    return null;
  }
  if (audited === undefined) return null;
  const dryRun = (request.query as { dryRun?: unknown } | undefined)?.dryRun === true;
  if (!ACCESS.has(status) && (dryRun || !audited.changes)) return null;
  const entered = enter(services, caller, request, { operation: audited.name, code, status });
  return within(entered).catch(() => countRefusal(services, request, code));
}

async function enter(
  { access, loans }: Services,
  caller: Caller,
  request: FastifyRequest,
  { operation, code, status }: { operation: string; code: string; status: number },
): Promise<void> {
  const { organizationId, clientId, userId, keyId, quota } = caller;
  const by = { organizationId, clientId, userId, keyId, countedFor: quota.countedFor, requestId: request.id };
  const loanId = loanIdIn(request);
  const approvalId = approvalIdIn(request);
  // A loan that the caller may not see is nobody's as far as this entry goes.
  const isNamed = loanId !== null || approvalId !== null;
  const grants = isNamed && status !== 404 ? await access.grantsFor(caller) : [];
  const grantedBy = grants.map(({ ownerOrganizationId }) => ownerOrganizationId);
  await loans.audit.refused({ ...by, operation, outcome: code, loanId, approvalId, grantedBy });
}

function within(work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The entry of a refusal took too long.')), PATIENCE_MS);
    timer.unref();
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function countRefusal({ access }: Services, request: FastifyRequest, outcome: string): void {
  access.refusals.count({ address: addressOf(request), outcome, clientId: request.context.caller?.clientId ?? null });
}

/** From the path or the body, if it can be the id of a loan; anything else could be personal. */
function loanIdIn({ params, body }: FastifyRequest): string | null {
  const { loan_id: inPath } = (params ?? {}) as { loan_id?: unknown };
  const given = inPath ?? (typeof body === 'object' && body !== null ? (body as { loanId?: unknown }).loanId : null);
  return typeof given === 'string' && /^0x[0-9a-fA-F]{64}$/.test(given) ? given.toLowerCase() : null;
}

/** The id in a decision, if it can be that of a request for approval. */
function approvalIdIn({ body }: FastifyRequest): string | null {
  const given = typeof body === 'object' && body !== null ? (body as { approvalId?: unknown }).approvalId : null;
  return typeof given === 'string' && /^approval_[0-9a-f]{32}$/.test(given) ? given : null;
}
