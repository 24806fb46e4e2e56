import { Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from '../ui/icon.tsx'

/** Lies over the page while files are held over it. */
export const DropVeil = ({ children }: { children: ReactNode }) => (
  <div className="drop-veil" role="status">
    <p>
      <Icon of={Upload} big />
      {children}
    </p>
  </div>
)
