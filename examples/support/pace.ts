/**
 * How slowly the offline examples go: 1 is the pace of a fast model, 0 is without any pause. Whoever watches in a
 * terminal gets 1; pipes and CI get 0; the environment variable `PACE` decides otherwise.
 */
export const pace = paceOf(process.env['PACE'])

function paceOf(wish: string | undefined): number {
  const number = Number(wish?.trim() || Number.NaN)
  if (Number.isFinite(number) && number >= 0) return number
  return process.stdout.isTTY && !process.env['CI'] ? 1 : 0
}
