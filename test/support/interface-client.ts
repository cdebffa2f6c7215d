/** A client as someone writes it who has the interface's specification and nothing else: nine operations, in fifty lines, no import. */
export type Credentials = { clientId: string; clientSecret: string; apiKey: string };

/** The members of the record that it uses. Nothing is optional: the specification lists every member of every loan. */
export type LoanRecord = {
  data: {
    loanDetails: {
      loanStatus: string;
      nextPaymentDate: string;
      remainingBalance: string;
      macroEconomicFeatures: { unemployment: number; cpi: number; fedRate: number };
      loanPayments: Record<string, string>[];
      metadata: { AutoLoan: Record<'currentBalance' | 'currentPaymentDue' | 'paymentStatus', string> };
    };
    Response: { Decision: string; DecisionDate: string; CreditScorePrimary: number; LoanTerms: { Payment: number }[] };
    Underwriting: { UnderwritingInfo: { DecisionStatus: string }[]; PrimaryCreditInfo: { CreditScore: string } };
  };
};

export function interfaceClient(base: string, { clientId, clientSecret, apiKey }: Credentials) {
  async function send(method: string, path: string, headers: Record<string, string>, body?: object) {
    const answer = await fetch(`${base}/${path}`, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text);
  }
  const bearer = async () => {
    const { data } = await send('POST', 'auth-token', {}, { clientId, clientSecret });
    return { authorization: `Bearer ${data.token}` };
  };
  const post = async (path: string, body: object) => (await send('POST', path, await bearer(), body)).data;
  return {
    create: async (loan: object): Promise<string> => (await post('loans', loan)).loanId,
    read: async (loanId: string): Promise<LoanRecord> =>
      send('GET', `loans/${loanId}`, { ...(await bearer()), key: apiKey }),
    readPublic: async (loanId: string) => send('GET', `loan-data/${loanId}`, await bearer()),
    startUnderwriting: (loanId: string) => post('start-underwriting', { loanId }),
    completeUnderwriting: (loanId: string) => post('complete-underwriting', { loanId }),
    initiateRepayment: (loanId: string) => post('initiate-repayment', { loanId }),
    repay: (loanId: string, refId: string, amount: string) => post('loan-repay', { loanId, refId, amount }),
    acknowledge: (loanId: string, refId: string) => post('acknowledge-repayment', { loanId, refId }),
  };
}
