import { PageHead } from '../../parts/basics.tsx';

export function Underwriting() {
  return <PageHead title="Underwriting" />;
}
