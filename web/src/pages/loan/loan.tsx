import { PageHead } from '../../parts/basics.tsx';

export function Loan() {
  return <PageHead title="Loan" />;
}
