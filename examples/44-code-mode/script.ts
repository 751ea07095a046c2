/** What the model says offline: one program, then the answer. */
import type { Script } from '../support/scripted-server.ts'

const program = `
const items = await tools.list({})
const rows = await Promise.all(items.map((item) => tools.stock({ item })))
const short = rows.filter(({ units }) => units < 10)
const ordered = []
for (const { item, units } of short) {
  try {
    ordered.push(await tools.order({ item, units: 10 - units }))
  } catch (error) {
    if (error.code !== 'DENIED') throw error
  }
}
return { short: short.map(({ item }) => item), ordered }
`

export const script: Script = {
  'You manage a shop': ({ number, results }) =>
    number === 0
      ? [{ name: 'agent-code', args: { prompt: program } }]
      : `Done. This is what the program answered: ${results.at(-1)}`,
}
