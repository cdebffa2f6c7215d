/** Whose the demonstration is. In a file of its own, because the command line needs to know it and nothing else of this room. */
export const DEMO_ORGANIZATION = 'Daybook Demo';
