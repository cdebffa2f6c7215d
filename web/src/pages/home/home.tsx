import { PageHead } from '../../parts/basics.tsx';

export function Home() {
  return <PageHead title="Home" />;
}
