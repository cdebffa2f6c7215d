/** The demonstration's organization. In a file of its own, because the start of the service needs only this of the module. */
export const DEMO_ORGANIZATION = 'Daybook Demo';
