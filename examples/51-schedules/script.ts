/** What the scripted models say. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'Write the report': () => 'The report of the day.',
  'Send the bill': ({ results: [slept] }) => {
    if (slept === undefined)
      return [{ name: 'sleep-until', args: { until: '2026-03-30T09:00:00Z', reason: 'the bill' } }]
    return slept.includes('on time')
      ? 'Three days are over: I have sent a reminder.'
      : 'It was paid: I send no reminder.'
  },
}
