/** Reports on the whole portfolio: of any date, as it is known now or was known then. */
import { useParams } from '@tanstack/react-router';
import type { OperationId } from 'daybook-sdk';
import { type ComponentType, useState } from 'react';
import { daybook } from '../../api.ts';
import { day, words } from '../../format.ts';
import { PageHead } from '../../parts/basics.tsx';
import { saveFile } from '../../parts/download.ts';
import { Empty, errorText, NoRight } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useView } from '../../parts/view.ts';
import { useCan, useSession } from '../../shell/session.tsx';
import { Today, useToday } from '../../shell/today.tsx';
import { Cashflows } from './cashflows.tsx';
import { Controls } from './controls.tsx';
import { Delinquency } from './delinquency.tsx';
import { Losses } from './losses.tsx';
import './portfolio.css';
import { Prepayment } from './prepayment.tsx';
import { OPERATION_OF } from './reported.tsx';
import { RollRates } from './roll-rates.tsx';
import { Summary } from './summary.tsx';
import { queryOf, REPORTS, type ReportProps, type ReportTab, takesKnownAt, type View, viewIn } from './view.ts';
import { Vintages } from './vintages.tsx';
import { Yield } from './yield.tsx';

const REPORT_PAGES: Record<ReportTab, ComponentType<ReportProps>> = {
  summary: Summary,
  delinquency: Delinquency,
  'roll-rates': RollRates,
  vintages: Vintages,
  losses: Losses,
  prepayment: Prepayment,
  cashflows: Cashflows,
  yield: Yield,
};

export function Portfolio() {
  const can = useCan();
  const { report = 'summary' } = useParams({ strict: false }) as { report?: string };
  const [search, change] = useView();
  const found = REPORTS.find((one) => one.report === report);
  if (!can('reports:read')) return <NoRight what="the reports on the portfolio" scope="reports:read" />;
  const view = viewIn(search);
  const Report = found && REPORT_PAGES[found.report];
  return (
    <>
      <PageHead
        title="Portfolio"
        note={
          <Today wait="…">
            <Note view={view} tab={found?.report ?? 'summary'} />
          </Today>
        }
      >
        {found && (
          <Today wait={null}>
            <ExportCsv tab={found.report} view={view} />
          </Today>
        )}
      </PageHead>
      <Tabs
        label="Reports"
        keepsView
        tabs={REPORTS.map((one, n) => ({
          to: n === 0 ? '/portfolio' : `/portfolio/${one.report}`,
          label: one.label,
        }))}
      />
      {Report === undefined || found === undefined ? (
        <Empty title="There is no such report">Choose one above.</Empty>
      ) : (
        <Today>
          <Controls key={found.report} report={found.report} view={view} change={change} />
          <Report view={view} change={change} />
        </Today>
      )}
    </>
  );
}

/** Describes the view in words, also on paper, where the controls are missing. */
function Note({ view, tab }: { view: View; tab: ReportTab }) {
  const { organization } = useSession();
  const today = useToday();
  const date = view.asOf === null ? (tab === 'roll-rates' ? 'last month end' : `today, ${day(today)}`) : day(view.asOf);
  const known =
    view.knownAt === null || !takesKnownAt(view.asOf)
      ? 'as known now'
      : view.knownAt === 'asReported'
        ? 'as reported at the time'
        : `as known on ${day(view.knownAt)}`;
  return (
    <>
      {organization.name} · as of {date}, {known}
      {view.by !== null && ` · by ${words(view.by).toLowerCase()}`} · amounts in US dollars
    </>
  );
}

/** Downloads the report as CSV from the API. */
function ExportCsv({ tab, view }: { tab: ReportTab; view: View }) {
  const today = useToday();
  const [state, setState] = useState<{ busy: boolean; wrong: string | null }>({ busy: false, wrong: null });
  const name = REPORTS.find(({ report }) => report === tab)?.about ?? 'summary';
  const save = async () => {
    setState({ busy: true, wrong: null });
    try {
      const operation: OperationId = OPERATION_OF[name];
      const { body, status } = await daybook.call(operation, {
        query: queryOf(name, view),
        accept: 'text/csv',
      } as never);
      if (status === 202) return setState({ busy: false, wrong: 'The report is still being computed.' });
      saveFile(`portfolio-${name}-${view.asOf ?? today}.csv`, String(body), 'text/csv');
      setState({ busy: false, wrong: null });
    } catch (error) {
      setState({ busy: false, wrong: errorText(error).detail });
    }
  };
  return (
    <>
      {state.wrong && (
        <span className="small wrong-text" role="alert">
          {state.wrong}
        </span>
      )}
      <button type="button" className="button" disabled={state.busy} onClick={() => void save()}>
        {state.busy ? 'Exporting…' : 'Export CSV'}
      </button>
    </>
  );
}
