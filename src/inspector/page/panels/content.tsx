/** The content of a message: text, and files. Images of the store are shown; no address elsewhere is asked for. */
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Content as MessageContent, FilePart } from '../../../actors/content/content.ts'
import { messageOf } from '../connection/failure.ts'
import { countText } from '../shared/format.ts'
import { refusalOf, usePage } from '../shared/page-context.ts'
import { Words } from '../shared/words.tsx'

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
