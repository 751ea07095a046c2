/** The policy by which a person must approve a call. */

/** `asks`: a function of the user's decides on each call. */
export type ApprovalPolicy = boolean | 'asks'

/** A policy that lets fewer calls run than another policy. */
export type StricterPolicy = Exclude<ApprovalPolicy, false>

/** The policy of today, where it is stricter than the recorded policy. */
export function stricterThan(recorded: ApprovalPolicy, today: ApprovalPolicy): StricterPolicy | undefined {
  if (today === false || recorded === true || recorded === today) return undefined
  return today
}
