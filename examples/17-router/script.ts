/** What the model says offline. Its first decision of the planner is wrong: it is told why, and mends it. */
import type { Script } from '../support/scripted-server.ts'

function decide(primitiveType: string, primitiveId: string, prompt: string, selectionReason: string): string {
  return JSON.stringify({ primitiveId, primitiveType, prompt, selectionReason })
}

export const script: Script = {
  'You are the reception': ({ prompt }) =>
    prompt.includes('On offer') ? decide('agent', 'planner', '', 'They want to go somewhere.') : '',
  'You plan trips': ({ number, prompt }) => {
    if (prompt.includes('not a valid routing decision')) {
      return decide(
        'tool',
        'weather',
        '{"city":"Porto","month":"April"}',
        'The weather decides what to pack.',
      )
    }
    if (number === 0) return decide('agent', 'meteorologist', 'Porto in April?', 'Somebody must know.')
    if (number === 1) return decide('workflow', 'costs', '{"nights":3}', 'The costs are missing.')
    if (number === 2) {
      const facts = 'Three nights in Porto in April, 14 degrees, some rain, 360 euros.'
      return decide('agent', 'writer', `Write the plan. ${facts}`, 'All facts are there.')
    }
    return decide('none', 'none', '', 'The plan is written, and answers the request as it stands.')
  },
  'You write for travellers': () =>
    'Three nights in Porto, in April: 14 degrees and some rain, so take a coat. 360 euros in all.',
  'You answer complaints': () => 'We are sorry.',
}
