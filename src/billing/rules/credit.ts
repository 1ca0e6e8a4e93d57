/** Limit of a subscriber's debt. */
export interface Credit {
  /** Units that may be used or reserved before anything is paid: the operator's setting, or the account's own. */
  readonly firstUnits: number;
  readonly paidUnits: number;
}

/** Returns the units that the account may owe: as many as it has ever paid for, and the first ones. */
export const creditOf = ({ firstUnits, paidUnits }: Credit): number => firstUnits + paidUnits;

/** Returns the units that it may have used or reserved in all, including paid ones. */
export const mostMeteredUnits = (credit: Credit): number => creditOf(credit) + credit.paidUnits;
