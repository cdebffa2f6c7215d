import { PageHead } from '../../parts/basics.tsx';

export function Operations() {
  return <PageHead title="Operations" />;
}
