/** What the simulation leaves out. Each line is a rule that is being settled; when it is, the line goes. */
export const LEFT_OUT = {
  /** Money that is dated on the day of a charge-off. */
  moneyOnTheDayOfAChargeOff: true,
  /** Insurance, sale and refund money while a quote is open, and more than one open quote. */
  otherMoneyUnderAQuote: true,
  /** Giving up what an earlier servicer had earned. */
  losingWhatWasBrought: true,
  /** A credit that is paid out while a quote is open. */
  refundsUnderAQuote: true,
  /** Paying more than was quoted. */
  moreThanQuoted: true,
};
