import { useLingui } from '@lingui/react/macro'
import { Camera, Upload } from 'lucide-react'
import { type ChangeEvent, useRef } from 'react'
import { useCommands } from '../../shell/commands.ts'
import { Button } from '../../ui/button.tsx'
import { ACCEPTED, PICTURES } from './file-name.ts'

type Props = { onFiles: (files: File[]) => void; look?: 'main'; isPictures?: boolean }

/** Chooses files, and on a phone takes a picture with its camera. */
export function UploadButtons({ onFiles, look, isPictures = false }: Props) {
  const { t } = useLingui()
  const input = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const choose = () => input.current?.click()
  const take = (event: ChangeEvent<HTMLInputElement>) => {
    onFiles([...(event.target.files ?? [])])
    event.target.value = '' // the same file may be chosen again
  }
  useCommands([{ id: 'upload', label: t`Upload files`, keys: 'u', icon: Upload, run: choose }])
  return (
    <>
      <Button className="only-touch" icon={Camera} onClick={() => camera.current?.click()}>{t`Camera`}</Button>
      <Button look={look} icon={Upload} onClick={choose}>{t`Upload`}</Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={t`Files to upload`}
        accept={isPictures ? PICTURES : ACCEPTED}
        onChange={take}
      />
      <input
        ref={camera}
        type="file"
        hidden
        aria-label={t`Picture from the camera`}
        accept="image/*"
        capture="environment"
        onChange={take}
      />
    </>
  )
}
