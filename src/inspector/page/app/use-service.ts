/** The facts about the service, asked for until there is an answer. */
import { useEffect, useState } from 'preact/hooks'
import type { ServiceInfo } from '../../wire/routes.ts'
import type { Api } from '../connection/api.ts'
import { repeat } from '../connection/repeat.ts'

export interface Service {
  readonly info?: ServiceInfo
  /** Of the last attempt. */
  readonly error?: unknown
}

export function useService(api: Api): Service {
  const [service, setService] = useState<Service>({})
  useEffect(() => {
    const asking = repeat(
      1000,
      async () => {
        setService({ info: await api.service() })
        asking.stop()
      },
      (error) => setService({ error }),
    )
    return () => asking.stop()
  }, [api])
  return service
}
