/** The bureau's report as it was pulled: a PDF, opened with a purpose. */
import { useEffect, useMemo, useState } from 'react';
import { daybook } from '../../api.ts';
import { Panel } from '../../parts/basics.tsx';
import { PurposeForm } from '../../parts/purpose-form.tsx';
import { NoRight } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';
import { PURPOSES, useReveal } from './reveal.ts';

const REPORTS = [
  { n: '1', label: 'Applicant' },
  { n: '2', label: 'Co-applicant' },
] as const;

export function Report({ loanId, coApplicant }: { loanId: string; coApplicant: boolean }) {
  const can = useCan();
  const [n, setN] = useState<'1' | '2'>('1');
  const report = useReveal(
    async (purpose) => (await daybook.readReport({ path: { loan_id: loanId, n }, purpose })).data,
    null,
  );
  const { data, busy, error, open, close } = report;
  const url = useMemo(
    () => (data === null ? null : URL.createObjectURL(new Blob([data], { type: 'application/pdf' }))),
    [data],
  );
  useEffect(() => (url === null ? undefined : () => URL.revokeObjectURL(url)), [url]);
  if (!can('loans:read_pii')) {
    return (
      <Panel title="Credit report" flush>
        <NoRight what="credit reports" scope="loans:read_pii" />
      </Panel>
    );
  }
  const name = `report-${loanId.slice(2, 10)}-${n}.pdf`;
  return (
    <Panel
      title="Credit report"
      actions={
        url !== null && (
          <>
            <a className="button" href={url} download={name}>
              Download
            </a>
            <button type="button" className="button" onClick={close}>
              Close report
            </button>
          </>
        )
      }
    >
      {url === null ? (
        <div className="stack">
          {coApplicant && (
            <fieldset className="line report-choice">
              <legend className="hidden-visually">Whose report</legend>
              {REPORTS.map((one) => (
                <label key={one.n} className="line">
                  <input type="radio" name="report" checked={n === one.n} onChange={() => setN(one.n)} />
                  {one.label}
                </label>
              ))}
            </fieldset>
          )}
          <PurposeForm
            button="Open report"
            purposes={PURPOSES}
            hint="The original bureau report. Opening it is recorded with your purpose."
            {...{ busy, error }}
            onPurpose={open}
          />
        </div>
      ) : (
        <object data={url} type="application/pdf" className="report-pdf" aria-label="Credit report">
          <p>
            This browser cannot display PDFs in a page.{' '}
            <a href={url} download={name}>
              Download the report
            </a>
          </p>
        </object>
      )}
    </Panel>
  );
}
