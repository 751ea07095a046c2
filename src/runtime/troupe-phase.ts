/** The phases of a troupe, as everybody sees them. */

/** The phase of a troupe. Each leads to the next, and none back. */
export type TroupePhase =
  /** It takes runs, and works on them. */
  | 'open'
  /** It takes no runs, begins no effects, and lets those under way end. */
  | 'draining'
  /** It has released all runs. */
  | 'closed'
