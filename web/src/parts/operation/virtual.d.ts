declare module 'virtual:operations' {
  const operations: readonly import('./catalogue.ts').Operation[];
  export default operations;
}

declare module 'virtual:roles' {
  const builtInRoles: readonly import('./approvers.ts').RoleWithLimits[];
  export default builtInRoles;
}
