/** What the model says offline, in both companies. */
import type { Script } from '../support/scripted-server.ts'
import { script as harbour } from '../37-a2a/script.ts'

export const script: Script = {
  ...harbour,
  'You are a travel office': ({ results: [result] }) =>
    result === undefined
      ? [{ name: 'agent-harbour', args: { prompt: 'May the Aurora enter on Friday?' } }]
      : `Good news. The harbour says: ${result}`,
}
