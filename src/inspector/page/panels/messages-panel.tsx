/** The conversation of the chosen agent up to the row that is shown, and the message that it is writing. */
import type { VNode } from 'preact'
import type { Message } from '../../../actors/message.ts'
import type { Speech } from '../connection/run-session.ts'
import { plural } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { Words } from '../shared/words.tsx'
import { Content } from './content.tsx'
import type { RunSession } from '../connection/run-session.ts'
import { NotThere } from './not-there.tsx'
import { useView } from './use-view.ts'

export function MessagesPanel({ session }: { readonly session: RunSession }): VNode {
  const view = useView(session)
  const model = session.model.value
  const speech = model.isLive.value ? session.speech.value.get(model.path.value) : undefined
  if (view.state === 'failed') {
    return <NotThere session={session} subject="The messages" error={view.error} retry={view.retry} />
  }
  const { value } = view
  const messages = value?.messages ?? []
  if (value === undefined) return <p class="empty">Loading the messages …</p>
  return (
    <div aria-busy={view.state === 'loading'}>
      {messages.length === 0 && speech === undefined && (
        <div class="empty">
          <h2>No messages</h2>
          <p>
            <span class="said">{value.path}</span> has no conversation at this entry. Choose an agent on the
            left.
          </p>
        </div>
      )}
      {value.earlier !== undefined && (
        <p class="muted messages-earlier">
          {plural(value.earlier, 'earlier message')} {value.earlier === 1 ? 'is' : 'are'} not shown here: go
          back in the run to see {value.earlier === 1 ? 'it' : 'them'}.
        </p>
      )}
      {value.isCut === true && <p class="muted">Long texts and lists are cut.</p>}
      <ol class="messages">
        {messages.map((message, index) => (
          <MessageItem key={index} message={message} />
        ))}
        {speech !== undefined && <Spoken speech={speech} />}
      </ol>
    </div>
  )
}

function MessageItem({ message }: { readonly message: Message }): VNode {
  const purpose = message.role === 'user' ? message.internal : undefined
  const isError = message.role === 'tool' && message.isError === true
  return (
    <li class={`message message-${message.role}`}>
      <h3>
        {message.role}
        {message.role === 'tool' && <code class="said"> {message.toolName}</code>}
        {purpose !== undefined && <span class="badge">{purpose}</span>}
        {isError && <span class="badge bad">error</span>}
      </h3>
      {message.role === 'assistant' && message.reasoning !== undefined && (
        <details class="reasoning">
          <summary>Reasoning</summary>
          <Words text={message.reasoning} />
        </details>
      )}
      <Content content={message.content} />
      {message.role === 'assistant' &&
        message.toolCalls?.map((call, index) => (
          <div key={index} class="call">
            <b class="said">{call.name}</b>
            {call.malformed === undefined ? (
              <Json value={call.args} open={1} />
            ) : (
              <p class="fault">
                No JSON: <Words text={call.malformed} />
              </p>
            )}
          </div>
        ))}
    </li>
  )
}

function Spoken({ speech }: { readonly speech: Speech }): VNode {
  return (
    <li class="message message-assistant writing">
      <h3>
        assistant <span class="badge now">writing</span>
      </h3>
      {speech.reasoning !== '' && (
        <details class="reasoning" open>
          <summary>Reasoning</summary>
          <Words text={speech.reasoning} />
        </details>
      )}
      <Words text={speech.text} most={8000} />
    </li>
  )
}
