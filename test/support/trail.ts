import { AUDIT_COLUMNS } from '../../src/store/audit/audit.ts';

/** The audit trail to select from: entries that wait for their link, and linked ones. */
export const TRAIL = `(SELECT volume, ${AUDIT_COLUMNS}, NULL::bigint AS number, NULL::bytea AS hash FROM audit_waiting
  UNION ALL SELECT volume, ${AUDIT_COLUMNS}, number, hash FROM audit) trail`;
