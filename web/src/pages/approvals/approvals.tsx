import { PageHead } from '../../parts/basics.tsx';

export function Approvals() {
  return <PageHead title="Approvals" />;
}
