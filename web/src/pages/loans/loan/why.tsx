/** The engine's own explanation of a figure: its steps, their sum, and sentences that one can read to the borrower. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read } from '../../../api.ts';
import { Money } from '../../../parts/basics.tsx';
import { ErrorState, Loading } from '../../../parts/states.tsx';
import { sentence } from './explanation.ts';
import { type Point, queryOf } from './point.ts';

const FIRST_SHOWN = 6;

export function Why(props: { loanId: string; figure: string; point: Point; title?: string }) {
  const { loanId, figure, point } = props;
  const [all, setAll] = useState(false);
  const query = useQuery(read('explainFigure', { path: { loan_id: loanId, figure }, query: queryOf(point) }));
  if (query.error !== null) return <ErrorState error={query.error} retry={() => query.refetch()} />;
  if (query.data === undefined) return <Loading rows={3} label="Loading the explanation" />;
  const { steps, sentences, amount } = query.data.data;
  // The last steps of a long list matter most: they are the open ones.
  const shown = all ? steps : steps.slice(-FIRST_SHOWN);
  return (
    <div className="why-text">
      {props.title && <h3>{props.title}</h3>}
      {shown.length < steps.length && (
        <button type="button" className="link small" onClick={() => setAll(true)}>
          Show {steps.length - shown.length} earlier steps
        </button>
      )}
      {shown.length > 0 && (
        <table className="why-steps">
          <tbody>
            {shown.map(({ what, how, amount: part }, n) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the steps of an explanation have an order and no name.
              <tr key={n}>
                <th scope="row">{sentence(what)}</th>
                <td className="quiet">{sentence(how)}</td>
                <td className="number">
                  <Money amount={part} />
                </td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row" colSpan={2}>
                Total
              </th>
              <td className="number">
                <Money amount={amount} />
              </td>
            </tr>
          </tfoot>
        </table>
      )}
      {sentences.map((text) => (
        <p key={text}>{sentence(text)}</p>
      ))}
    </div>
  );
}
