import { PageHead } from '../../parts/basics.tsx';

export function Books() {
  return <PageHead title="Books" />;
}
