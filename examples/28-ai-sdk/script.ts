/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the desk': ({ number }) =>
    number === 0
      ? [{ name: 'agent-researcher', args: { prompt: 'When is high water in Bergen?' } }]
      : 'High water in Bergen is at 05:12 and at 17:40.',
  'You research': ({ number }) =>
    number === 0 ? [{ name: 'almanac', args: { harbour: 'Bergen' } }] : 'At 05:12 and at 17:40.',
}
