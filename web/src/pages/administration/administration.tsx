import { PageHead } from '../../parts/basics.tsx';

export function Administration() {
  return <PageHead title="Administration" />;
}
