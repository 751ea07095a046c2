/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

function decide(primitiveType: string, primitiveId: string, selectionReason: string, prompt = ''): string {
  return JSON.stringify({ primitiveId, primitiveType, prompt, selectionReason })
}

export const script: Script = {
  'You are the desk of a parcel service': ({ task }) => {
    if (task.includes('A-17')) return decide('tool', 'track', 'It names a parcel.', '{"parcel":"A-17"}')
    return task.includes('cost')
      ? decide('agent', 'prices', 'It asks for a price.')
      : decide('agent', 'complaints', 'The customer is angry.')
  },
  'You know the prices': () => JSON.stringify({ country: 'Norway', euros: 12 }),
  'You answer complaints': () => 'We are sorry. Your parcel will be there tomorrow.',
}
