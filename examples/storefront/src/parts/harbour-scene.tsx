/** Drawn here, so that it is sharp at any size, follows light and dark, and costs no request. */
export const HarbourScene = () => (
  <svg class="scene" viewBox="0 0 1600 640" preserveAspectRatio="xMaxYMax slice" aria-hidden="true">
    <linearGradient id="beam">
      <stop offset="0.1" stop-color="#fff6dc" stop-opacity="0" />
      <stop offset="1" stop-color="#fff6dc" />
    </linearGradient>
    <circle class="sun" cx="1130" cy="330" r="112" />
    <path
      class="far"
      d="M0 430 C160 392 300 400 430 418 S720 384 880 404 1180 372 1330 396 1500 388 1600 400 V640 H0Z"
    />
    <path class="near" d="M1180 452 C1250 404 1330 388 1420 392 S1560 410 1600 404 V640 H1180Z" />
    <g class="tower">
      <path class="beam" d="M1398 194 L800 96 V268Z" fill="url(#beam)" />
      <path class="white" d="M1372 400 L1382 214 H1418 L1428 400Z" />
      <path class="red" d="M1379.2 266 H1420.8 L1423.6 318 H1376.400Z M1374 362 H1426 L1428 400 H1372Z" />
      <rect class="dark" x="1376" y="206" width="48" height="9" rx="2" />
      <rect class="lamp" x="1387" y="180" width="26" height="27" />
      <path class="red" d="M1382 181 Q1400 152 1418 181Z" />
      <rect class="dark" x="1398.5" y="146" width="3" height="16" />
    </g>
    <g class="house">
      <rect class="white" x="1448" y="352" width="84" height="48" />
      <path class="red" d="M1440 354 L1490 318 L1540 354Z" />
      <rect class="lamp" x="1462" y="366" width="14" height="16" />
      <rect class="lamp" x="1504" y="366" width="14" height="16" />
    </g>
    <path class="sea-1" d="M0 454 C220 442 420 464 640 454 S1060 444 1280 456 1480 448 1600 454 V640 H0Z" />
    <path class="glint" d="M1046 474h168M1074 492h112M1030 512h200M1090 532h80" />
    <g class="boat">
      <path class="sail" d="M872 322 V468 H800 C828 424 856 378 872 322Z" />
      <path class="sail-2" d="M880 346 C902 392 920 430 934 468 H880Z" />
      <rect class="dark" x="874" y="310" width="4" height="168" />
      <path class="hull" d="M786 478 H958 C948 500 934 512 912 512 H824 C804 512 794 498 786 478Z" />
      <path class="stripe" d="M790 486 H955 L952 492 H793Z" />
    </g>
    <path class="sea-2" d="M0 512 C180 498 360 528 560 514 S940 500 1140 518 1440 504 1600 516 V640 H0Z" />
    <g class="jetty">
      <path class="dark" d="M1290 500h10v140h-10zM1370 500h10v140h-10zM1450 500h10v140h-10zM1530 500h10v140h-10z" />
      <rect class="wood" x="1262" y="490" width="338" height="16" rx="2" />
      <rect class="wood" x="1284" y="462" width="12" height="30" rx="3" />
      <path class="rope" d="M1290 472 C1330 512 1380 512 1454 474" />
      <rect class="wood" x="1448" y="462" width="12" height="30" rx="3" />
    </g>
    <path class="sea-3" d="M0 572 C240 556 420 588 680 572 S1120 560 1340 578 1520 568 1600 574 V640 H0Z" />
    <path
      class="gulls"
      d="M962 204q14-14 26 0q14-14 26 0M1026 250q10-10 19 0q10-10 19 0M1228 146q12-12 22 0q12-12 22 0"
    />
  </svg>
)
