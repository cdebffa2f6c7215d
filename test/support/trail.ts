/** The audit trail to select from: entries that wait for their link, and linked ones. */
export const TRAIL = `(SELECT *, NULL::bigint AS number, NULL::bytea AS hash FROM audit_waiting UNION ALL SELECT * FROM audit) trail`;
