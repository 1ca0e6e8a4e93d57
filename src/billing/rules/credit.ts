/** What bounds how much a subscriber can owe. */
export interface Credit {
  /** Units that may be used or reserved before anything is paid: the operator's setting, or the account's own. */
  readonly firstUnits: number;
  /** Units that were paid for. */
  readonly paidUnits: number;
}

/** How many units the account may owe: as many as it has ever paid for, and the first ones. */
export const creditOf = ({ firstUnits, paidUnits }: Credit): number => firstUnits + paidUnits;

/** How many units it may have used or reserved in all, the paid ones among them. */
export const mostMeteredUnits = (credit: Credit): number => creditOf(credit) + credit.paidUnits;
