declare module 'virtual:events' {
  const events: Readonly<Record<string, import('./event-line.ts').EventLine>>;
  export default events;
}

declare module 'virtual:menu' {
  const groups: readonly import('./actions.ts').Group[];
  export default groups;
}
