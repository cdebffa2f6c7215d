import { PageHead } from '../../parts/basics.tsx';

export function Application() {
  return <PageHead title="Application" />;
}
