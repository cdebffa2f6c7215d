import { PageHead } from '../../parts/basics.tsx';

export function Portfolio() {
  return <PageHead title="Portfolio" />;
}
