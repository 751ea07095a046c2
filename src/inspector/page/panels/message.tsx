/** One message: its text, its files, its reasoning, and the calls that it asks for. */
import type { Content as MessageContent, FilePart, Message } from '../../../index.ts'
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Speech } from '../connection/run-session.ts'
import { messageOf } from '../connection/failure.ts'
import { countText } from '../shared/format.ts'
import { Json } from '../shared/json.tsx'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { Words } from '../shared/words.tsx'

export function MessageItem({ message }: { readonly message: Message }): VNode {
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
        <Reasoning text={message.reasoning} />
      )}
      <Content content={message.content} />
      {message.role === 'assistant' && message.toolCalls !== undefined && <Calls calls={message.toolCalls} />}
    </li>
  )
}

export function Reasoning({ text }: { readonly text: string }): VNode {
  return (
    <details class="reasoning">
      <summary>Reasoning</summary>
      <Words text={text} />
    </details>
  )
}

type Call = NonNullable<Extract<Message, { readonly role: 'assistant' }>['toolCalls']>[number]

/** The calls that a model asks for. */
export function Calls({ calls }: { readonly calls: readonly Call[] }): VNode {
  return (
    <>
      {calls.map((call, index) => (
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
    </>
  )
}

/** The content of a message: text, and files. Images of the store are shown; no address elsewhere is asked for. */
export function Content({ content }: { readonly content: MessageContent }): VNode | null {
  if (typeof content === 'string') return content === '' ? null : <Words text={content} most={4000} />
  return (
    <>
      {content.map((part, index) =>
        part.type === 'text' ? (
          <Words key={index} text={part.text} most={4000} />
        ) : (
          <File key={index} file={part} />
        ),
      )}
    </>
  )
}

function File({ file }: { readonly file: FilePart }): VNode {
  const { mediaType, name } = file
  const place =
    'url' in file
      ? file.url
      : 'ref' in file
        ? `${file.ref.slice(0, 12)}…`
        : `${countText(file.data.length)} characters`
  return (
    <figure class="file">
      {mediaType.startsWith('image/') && !('url' in file) && <Picture file={file} />}
      <figcaption class="muted said">
        {name ?? 'file'} · {mediaType} · {place}
      </figcaption>
    </figure>
  )
}

type StoredFile = Exclude<FilePart, { readonly url: string }>

/** The image is an address of this page: the server takes no image request without the token. */
function Picture({ file }: { readonly file: StoredFile }): VNode {
  const { api, service } = usePage()
  const refusal = 'ref' in file ? refusalOf(service, 'blobs') : undefined
  const [shown, setShown] = useState<{ readonly address?: string; readonly error?: string }>({})
  const key = 'ref' in file ? file.ref : file.data
  useEffect(() => {
    if (refusal !== undefined) return undefined
    let address: string | undefined
    let isGone = false
    const show = (blob: Blob) => {
      if (isGone) return
      address = URL.createObjectURL(blob)
      setShown({ address })
    }
    const fail = (error: unknown) => {
      if (!isGone) setShown({ error: messageOf(error) })
    }
    bytesOf(file, (ref) => api.image(ref, file.mediaType)).then(show, fail)
    return () => {
      isGone = true
      if (address !== undefined) URL.revokeObjectURL(address)
    }
  }, [key, refusal])
  const reason = refusal ?? shown.error
  if (reason !== undefined) return <p class="muted said">The image cannot be shown: {reason}</p>
  return shown.address === undefined ? (
    <p class="muted">Loading the image …</p>
  ) : (
    <img src={shown.address} alt={file.name ?? 'image of the message'} />
  )
}

/** A media type that can hold a script is no image here. */
const shownTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

async function bytesOf(file: StoredFile, load: (ref: string) => Promise<Blob>): Promise<Blob> {
  if (!shownTypes.includes(file.mediaType)) throw new Error(`${file.mediaType} is not shown.`)
  if ('ref' in file) return load(file.ref)
  const bytes = Uint8Array.from(atob(file.data), (character) => character.codePointAt(0) ?? 0)
  return new Blob([bytes], { type: file.mediaType })
}

export function Spoken({ speech }: { readonly speech: Speech }): VNode {
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
