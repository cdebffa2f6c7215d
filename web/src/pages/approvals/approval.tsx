import { PageHead } from '../../parts/basics.tsx';

export function Approval() {
  return <PageHead title="Approval" />;
}
