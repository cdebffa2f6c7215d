/** Reasons of the selected deal, stipulations, and the applicant's file. All of it is personal data. */
import { daybook, loanPath } from '../../api.ts';
import { Panel } from '../../parts/basics.tsx';
import { PurposeForm } from '../../parts/purpose-form.tsx';
import { Empty, NoRight } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.tsx';
import type { Deal } from './figures.ts';
import { type Fact, type File, readFile, readReason } from './file.ts';
import { PURPOSES, type Revealed, useReveal } from './reveal.ts';

export type Opened = { deals: readonly Deal[]; file: File };

/** The deals with reasons and exact ratios, and the file; both reads are recorded. */
export function useFile(loanId: string): Revealed<Opened> {
  return useReveal(async (purpose) => {
    const [deals, record] = await Promise.all([
      daybook.listDeals({ ...loanPath(loanId), purpose }),
      daybook.readLoan({ ...loanPath(loanId), purpose }),
    ]);
    return { deals: deals.data.items, file: readFile(record.data) };
  });
}

export function Reasons(props: {
  deal: Deal | undefined;
  opened: Revealed<Opened>;
  onSelect: (dealIndex: number) => void;
}) {
  const can = useCan();
  const { data, busy, error, open, close } = props.opened;
  if (!can('loans:read_pii')) {
    return (
      <Panel title="Reasons and file" flush>
        <NoRight what="reasons and the applicant’s file" scope="loans:read_pii" />
      </Panel>
    );
  }
  if (data === null) {
    return (
      <Panel title="Reasons and file">
        <PurposeForm
          button="Show reasons and file"
          purposes={PURPOSES}
          hint="Reasons, exact ratios, income, score and stipulations are personal data. They are shown for one minute, and your purpose is recorded."
          {...{ busy, error }}
          onPurpose={open}
        />
      </Panel>
    );
  }
  const { file } = data;
  return (
    <Panel
      title="Reasons and file"
      actions={
        <button type="button" className="button" onClick={close}>
          Hide now
        </button>
      }
    >
      <div className="stack">
        <p className="notice info small" role="status">
          Shown for one minute. This disclosure was recorded with your purpose.
        </p>
        {props.deal && <DealReasons deal={props.deal} onSelect={props.onSelect} />}
        {file.stipulations.length > 0 && <List title="Stipulations" items={file.stipulations} />}
        <div className="grid">
          <Facts title="Applicant" facts={file.applicant} />
          <Facts title="Credit" facts={file.credit} />
          <Facts title="Requested" facts={file.requested} />
          <Facts title="Vehicle" facts={file.vehicle} />
        </div>
        {file.comments.length > 0 && <List title="Assessment comments" items={file.comments} />}
      </div>
    </Panel>
  );
}

function DealReasons({ deal, onSelect }: { deal: Deal; onSelect: (dealIndex: number) => void }) {
  const reasons = (deal.reasons ?? []).map(readReason);
  return (
    <div>
      <h3>Deal {deal.dealIndex}: reasons and warnings</h3>
      {reasons.length === 0 ? (
        <Empty title="The record has no reasons for this deal" />
      ) : (
        <ul className="reasons-list">
          {reasons.map(({ text, deal: other }) => (
            <li key={text}>
              {other === null ? (
                text
              ) : (
                <>
                  Would be approved:{' '}
                  <button type="button" className="link" onClick={() => onSelect(other)}>
                    deal {other}
                  </button>
                  , {text}
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function List({ title, items }: { title: string; items: readonly string[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <ul className="reasons-list">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  );
}

function Facts({ title, facts }: { title: string; facts: readonly Fact[] }) {
  if (facts.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <dl className="facts">
        {facts.map(({ label, value }) => (
          <div key={label} className="fact">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
