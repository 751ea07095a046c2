/** What the model says offline, as bookkeeper and as its own reviewer. */
import type { Script } from '../support/scripted-server.ts'

const objects = (critique: string) => JSON.stringify({ satisfied: false, critique })
const isContent = (critique: string) => JSON.stringify({ satisfied: true, critique })

export const script: Script = {
  'You keep the books': ({ number, prompt, results }) => {
    if (prompt.startsWith('Criticise your last action')) {
      return number === 1
        ? objects('Fewer guests come in winter: look at a month in summer too.')
        : isContent('Both halves of the year are covered.')
    }
    if (prompt.startsWith('Criticise your answer')) {
      return number === 3
        ? objects('It does not say that it is an estimate.')
        : isContent('It says what it rests on.')
    }
    if (number === 0) return [{ name: 'expenses', args: { month: 'January' } }]
    if (number === 1) return [{ name: 'expenses', args: { month: 'July' } }]
    const { euros } = JSON.parse(results[0] ?? '{"euros":140}') as { euros: number }
    const year = 6 * (80 + euros)
    return number === 2
      ? `We spend ${year} euros on coffee in a year.`
      : `About ${year} euros, if winter is like January and summer like July.`
  },
}
