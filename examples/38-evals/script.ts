/** The replies of the model offline: those of the agents, and those of the judge. */
import type { Script, ScriptedReply, Turn } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the guide': (turn) => guide(turn, 'Yes, on Monday we are open too.'), // a mistake, which the judge finds
  'You are the careful guide': (turn) => guide(turn, 'No, on Monday we are closed.'),
  'You are the editor': ({ number }) =>
    number === 0
      ? 'The main entrance is closed until May.'
      : 'The main entrance is closed until May. Please use the garden entrance.',
  'comparing a submitted answer to an expert answer': ({ task }) =>
    task.includes('open too')
      ? choice('D', 'The expert says closed, the submission says open.')
      : choice('B', 'It has all that the expert says.'),
  'assessing a submitted answer': ({ task }) =>
    task.includes('garden')
      ? choice('Y', 'It names the garden entrance.')
      : choice('N', 'It does not say which entrance is open.'),
}

function guide({ number, task }: Turn, onMonday: string): ScriptedReply {
  const day = task.includes('Monday') ? 'Monday' : 'Sunday'
  if (number === 0) return [{ name: 'openingHours', args: { day } }]
  return day === 'Monday' ? onMonday : 'Yes, on Sunday we are open from 10:00 to 18:00, also for children.'
}

/** The evaluators ask for their verdict as the call of a tool. */
function choice(chosen: string, reasons: string): ScriptedReply {
  return [{ name: 'select_choice', args: { reasons, choice: chosen } }]
}
