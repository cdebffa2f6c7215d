/** How the loan was decided. */
import { Link } from '@tanstack/react-router';
import { Empty } from '../../parts/states.tsx';

export function UnderwritingTab({ loanId }: { loanId: string }) {
  return (
    <Empty
      title="The deals and the decision are on the page of the application"
      action={
        <Link to="/underwriting/$loanId" params={{ loanId }} className="button">
          Open the application
        </Link>
      }
    />
  );
}
