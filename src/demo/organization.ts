/** The demonstration's organization, and what its first person may see: everything. In a file of its own, because the start of the service needs only this of the module. */
export const DEMO_ORGANIZATION = 'Daybook Demo';

export const DEMO_ROLES = ['administrator', 'manager', 'underwriter', 'accountant'];
