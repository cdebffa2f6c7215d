declare module 'virtual:operations' {
  const operations: readonly import('./catalogue.ts').Operation[];
  export default operations;
  export const builtInRoles: readonly import('./approvers.ts').RoleWithLimits[];
}
