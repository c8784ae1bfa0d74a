import { program as access } from '@cardinal/access/program';
import { program as attachment } from '@cardinal/attachment/program';
import { program as card } from '@cardinal/card/program';
import { program as dependency } from '@cardinal/dependency/program';
import { program as event } from '@cardinal/event/program';
import { program as gateway } from '@cardinal/gateway/program';
import { runTogether } from '@cardinal/host';
import { program as identifier } from '@cardinal/identifier/program';

// They stop in the reverse order: first the gateway, then what asks others, last what is asked.
await runTogether([identifier, card, dependency, attachment, event, access, gateway]);
