import { PageHead } from '../../parts/basics.tsx';

export function Loans() {
  return <PageHead title="Loans" />;
}
