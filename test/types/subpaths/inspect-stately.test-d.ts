/** What of the inspector must, and must not, compile. Its peer needs the types of a browser. */
import { statelyInspector } from 'troupe/inspect-stately'
import { expectType } from '../expect-type.ts'

export async function inspects(): Promise<void> {
  const inspector = statelyInspector({ port: 0, onError: (error) => expectType<Error>()(error) })
  expectType<string | undefined>()(await inspector.page)
  await inspector.stop()
  statelyInspector({ adapter: { send: (message) => expectType<string>()(message._version) } })
  // @ts-expect-error an adapter takes messages
  statelyInspector({ adapter: {} })
  // @ts-expect-error a port is a number
  statelyInspector({ port: '8080' })
}
