/** The life of one client: it serves calls, is left to those that it has begun, and is closed behind the last. */
import { once } from '../../kit/index.ts'
import { assign, fromPromise, setup } from 'xstate'

interface Context {
  /** Requests that have left and have no answer. */
  readonly open: number
}

type Event =
  | { readonly type: 'request.sent' }
  | { readonly type: 'request.settled' }
  /** Another client takes the calls that come. */
  | { readonly type: 'session.retired' }
  /** Nobody waits for its calls. */
  | { readonly type: 'session.ended' }
  | { readonly type: 'transport.closed' }

const sessionSetup = setup({
  types: { context: {} as Context, events: {} as Event },
  actors: {
    /** Closes the transport; provided with the client. */
    close: fromPromise<void>(async () => undefined),
  },
  guards: {
    isIdle: ({ context }) => context.open === 0,
    isLast: ({ context }) => context.open <= 1,
  },
  actions: {
    countRequest: assign({ open: ({ context }) => context.open + 1 }),
    countAnswer: assign({ open: ({ context }) => context.open - 1 }),
  },
})

export const sessionMachine = /* @__PURE__ */ once(() =>
  sessionSetup.createMachine({
    id: 'mcp-session',
    description: 'One client of a connection to an MCP server.',
    context: { open: 0 },
    initial: 'serving',
    states: {
      serving: {
        description: 'The client takes calls.',
        on: {
          'request.sent': { actions: 'countRequest' },
          'request.settled': { actions: 'countAnswer' },
          'session.retired': [{ guard: 'isIdle', target: 'closing' }, { target: 'draining' }],
          'session.ended': 'closing',
          'transport.closed': 'closed',
        },
      },
      draining: {
        description: 'The connection has another client. The calls that this one has begun go on.',
        on: {
          'request.sent': { actions: 'countRequest' },
          'request.settled': [
            { guard: 'isLast', target: 'closing', actions: 'countAnswer' },
            { actions: 'countAnswer' },
          ],
          'session.ended': 'closing',
          'transport.closed': 'closed',
        },
      },
      closing: {
        invoke: { id: 'close', src: 'close', onDone: 'closed', onError: 'closed' },
      },
      closed: { type: 'final' },
    },
  }),
)
