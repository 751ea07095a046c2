/** The rule of messages of people: a model reads each of them once, or the run tells that none has. */
import type { Visit } from './visit.ts'

export function noMessageIsLost({ world: { state, hasEnded }, events }: Visit): string | undefined {
  const taken: string[] = []
  const heard: string[] = []
  for (const { type, payload } of events) {
    if (type === 'said') taken.push(payload.id)
    else if (type === 'heard') heard.push(payload.id)
  }
  const odd = heard.find((id, place) => !taken.includes(id) || heard.indexOf(id) !== place)
  if (odd !== undefined) return `The message ${odd} is read twice, or was not taken.`
  if (!hasEnded) return undefined
  const unheard = new Set((state.output?.unheard ?? []).map(({ id }) => id))
  const lost = taken.find((id) => heard.includes(id) === unheard.has(id))
  return lost === undefined
    ? undefined
    : `The message ${lost} is lost, or told as unheard though it was read.`
}
